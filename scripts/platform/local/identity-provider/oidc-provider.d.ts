/** The part that is used here; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Account {
    readonly accountId: string
    readonly claims: () => { readonly sub: string; readonly [claim: string]: unknown }
  }
  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
      readonly provider: { readonly Grant: new (of: { clientId: string; accountId: string }) => Grant }
    }
  }
  interface Configuration {
    readonly findAccount: (context: unknown, id: string) => Account | undefined
    readonly loadExistingGrant: (context: Context) => Promise<Grant>
    readonly [member: string]: unknown
  }
  type InteractionResult =
    | { readonly login: { readonly accountId: string } }
    | { readonly error: string; readonly error_description: string }
  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ readonly uid: string }>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResult,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>
  }
}
