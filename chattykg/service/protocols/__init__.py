"""The APIs of other systems that the service speaks: OpenAI's chat completions, and Chatty-KG's own."""
