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

/** The part of `oidc-provider` that is used here; the package has no types. */
export interface Provider {
  callback(): RequestListener
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ readonly uid: string }>
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: InteractionResult,
    options: { readonly mergeWithLastSubmission: boolean },
  ): Promise<void>
}
export type ProviderClass = new (issuer: string, configuration: Configuration) => Provider

/** Loaded by a start alone. The library warns of every Node.js that is not a long-term version, on its first import. */
export async function loadProvider(): Promise<ProviderClass> {
  const { warn } = console
  console.warn = () => {}
  try {
    // @ts-expect-error The package has no types.
    const library = (await import('oidc-provider')) as { readonly Provider: ProviderClass }
    return library.Provider
  } finally {
    console.warn = warn
  }
}
