"""The record: tables, migrations, one writer."""
