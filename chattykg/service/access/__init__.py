"""Who may use the service, and how much: API keys, rates, limits a day, and pages of other sites."""
