"""The question forms, one module a family; each registers its forms (``chattygen.form_registry``)."""
