// PrimerAPI
