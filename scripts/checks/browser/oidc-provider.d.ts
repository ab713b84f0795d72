/** The part that the tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Account {
    readonly accountId: string
    readonly claims: () => { readonly sub: string; readonly [claim: string]: unknown }
  }
  interface Configuration {
    readonly findAccount: (context: unknown, id: string) => Account
    readonly [member: string]: unknown
  }
  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
  }
}
