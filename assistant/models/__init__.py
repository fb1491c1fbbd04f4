"""Model providers: the demo, and any server that speaks the OpenAI chat shape."""
