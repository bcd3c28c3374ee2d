"""What the user has written down in advance: a settings file and `.env`.

`locate.settings_file`, `locate.env_file` · `toml_file.read`, `toml_file.TomlFile` · `dotenv.load`,
`dotenv.DotEnv` · `secrets.names_a_secret`, `secrets.without_secrets`. Each is imported from its
module: reading TOML takes time that a folder without settings can do without.
"""
