/** The services of a deployment, and what its sign-in offers: `/config.json`, written for each deployment. No secrets. */
export interface Configuration {
  /** Origins by name. */
  readonly services: Readonly<Record<string, string>> & { readonly core: string; readonly auth: string }
  /** The identity providers that people can come from. */
  readonly providers: readonly ('google' | 'microsoft')[]
  /** Of the bot challenge; Turnstile's testing key on a developer's machine. */
  readonly turnstileSiteKey: string
}

/** With it, the widget always passes, and needs no network. */
export const TESTING_SITE_KEY = '1x00000000000000000000AA'

export async function readConfiguration(): Promise<Configuration> {
  const response = await fetch('/config.json')
  const configuration = (await response.json()) as Partial<Configuration>
  const { services, providers, turnstileSiteKey } = configuration
  if (!services?.auth || !services.core || !providers || !turnstileSiteKey) throw new Error('config.json is incomplete')
  return { services, providers, turnstileSiteKey }
}
