"""Agents that search for the weights of a policy by the returns of whole episodes: ARS, CEM, hill climbing."""
