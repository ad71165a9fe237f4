// A key and its own certificate for `peer.test`, for TLS peers in tests. They protect nothing. Valid to 2126; made with
// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=peer.test
//   -addext subjectAltName=DNS:peer.test -addext basicConstraints=critical,CA:TRUE

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAvfh41QWFr5ci8bF
5UmYdqKSYPS4xsuQQGmz01B0MlChRANCAATX5K7tSVm/qjnp3g2pemk1ic5hSmof
coo+eWxvb1qgtwTQmzqwGyAmvuZpzuXhan8rl38qymO+4sCmOkmhhbV2
-----END PRIVATE KEY-----
`;

export const cert = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUI3cSQ5qsq776QkaKsuPYs+sXSsgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJcGVlci50ZXN0MCAXDTI2MTEyMTE3NDc0NloYDzIxMjYxMDI4
MTc0NzQ2WjAUMRIwEAYDVQQDDAlwZWVyLnRlc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATX5K7tSVm/qjnp3g2pemk1ic5hSmofcoo+eWxvb1qgtwTQmzqwGyAm
vuZpzuXhan8rl38qymO+4sCmOkmhhbV2o2kwZzAdBgNVHQ4EFgQUwb5wx2jLr5EG
Gnk5i1ddRqPAaBIwHwYDVR0jBBgwFoAUwb5wx2jLr5EGGnk5i1ddRqPAaBIwFAYD
VR0RBA0wC4IJcGVlci50ZXN0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
SQAwRgIhAMUWMOq9muUYsmSiWqDkWRLbXM3LpYxbFyh+AzdCQ2M0AiEA4QWcqbum
jFTDcvmrTGEQGOqDiFbTDQSbh9KzKAFprQs=
-----END CERTIFICATE-----
`;
