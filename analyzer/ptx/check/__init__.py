"""What ptxas would refuse in a module that reads well."""
