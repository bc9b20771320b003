"""What does a deep agent do when another task begins, and how is it told which one it plays?"""
