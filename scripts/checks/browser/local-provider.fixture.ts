import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const CLIENT_ID = 'svc-sign-in'
export const CLIENT_SECRET = randomBytes(32).toString('base64url')

/** A local OpenID provider, whose pages let anyone sign in as anyone. */
export class LocalProvider {
  readonly issuer: string
  readonly #server: Server

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer
    this.#server = server
  }

  static async start(redirectUris: string[]): Promise<LocalProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: redirectUris,
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'local' }] },
      cookies: { keys: [randomBytes(32).toString('base64url')] },
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: false,
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true }),
      }),
    })
    const handle = provider.callback()
    server.on('request', (request, response) => {
      handle(request, response)
    })
    return new LocalProvider(issuer, server)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
