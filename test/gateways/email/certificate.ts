// A key and its own certificate for `localhost` and 127.0.0.1, for mail servers in tests. They protect nothing. Valid to 2126; made with
// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost
//   -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext basicConstraints=critical,CA:TRUE

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgA8wBh0aco9jYFigT
PUP44rCc29DML7R0EWFyf+/jxy+hRANCAARN18kokbF521W7hKv1jP45wp7X8g+f
EpYRNcUxU0pBoCmjo0gLJkFXqgulyImZkaW9pcAJksV1/zZmSqQfnDVW
-----END PRIVATE KEY-----
`;

export const cert = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUM0vZwvCgr3XQQTed/YXVH79Rq0AwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTIzNDgyNFoYDzIxMjYxMDI4
MjM0ODI0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARN18kokbF521W7hKv1jP45wp7X8g+fEpYRNcUxU0pBoCmjo0gLJkFX
qgulyImZkaW9pcAJksV1/zZmSqQfnDVWo28wbTAdBgNVHQ4EFgQU3pa1onJrKWzw
utipelIhN0YDLPUwHwYDVR0jBBgwFoAU3pa1onJrKWzwutipelIhN0YDLPUwGgYD
VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
zj0EAwIDRwAwRAIgSnVEvR/4bkptNCpOqbmnlQuZmdm2SljOmGZ1b8aWDwECIBPj
cYx7i10tUM/IxTNR75Sh0L+I1pWLlIIIu5jd4TmV
-----END CERTIFICATE-----
`;
