"""The Gymnasium environments of traffic signals."""
