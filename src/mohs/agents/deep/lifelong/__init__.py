"""What does a deep agent do when the task changes, and how does it observe the task id?"""
