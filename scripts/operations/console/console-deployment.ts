/**
 * The console as it is deployed: static files at a host of their own, and a script that answers where there is no file. An
 * operator may leave it out. Pure.
 *
 * @module
 */
import { join } from 'node:path'
import { type Configuration, TESTING_SITE_KEY } from '@svc/console/deployment-files'
import { CONSOLE_FOLDER, WORKER_NAMES } from '@svc/platform/workspace'
import type { ConsoleDeployment, Deployment, Json, Vars } from '../deployment.ts'

/** The parts of the committed wrangler.jsonc. */
export interface RawConsoleConfig {
  readonly name: string
  readonly main: string
  readonly compatibility_date: string
  readonly assets: {
    readonly directory: string
    readonly binding: string
    readonly html_handling: string
    readonly not_found_handling: string
  }
}

export function consoleConfigOf(
  base: RawConsoleConfig,
  { suffix }: Pick<Deployment, 'suffix'>,
  { host }: ConsoleDeployment,
  directory: string,
) {
  const { name, main, compatibility_date, assets } = base
  return {
    name: name + suffix,
    main: join(CONSOLE_FOLDER, main),
    compatibility_date,
    workers_dev: false,
    preview_urls: false,
    routes: [{ pattern: host, custom_domain: true }],
    assets: { ...assets, directory },
  }
}

/** What the files are told: where the services are, and what the sign-in service offers. */
export function consoleConfiguration(
  { hosts }: Pick<Deployment, 'hosts'>,
  { turnstileSiteKey }: ConsoleDeployment,
  auth: Vars,
): Configuration {
  const services = Object.fromEntries(WORKER_NAMES.map((worker) => [worker, `https://${hosts[worker][0]}`]))
  const hasClient = (provider: string) => Boolean(auth[`${provider.toUpperCase()}_CLIENT_ID`])
  return {
    services: services as Configuration['services'],
    providers: (['google', 'microsoft'] as const).filter(hasClient),
    turnstileSiteKey,
  }
}

/** The variables of a Worker with the console among the pages that it answers. */
export function allowConsole(vars: Vars, console: ConsoleDeployment | null): Vars {
  if (!console) return vars
  const origin = `https://${console.host}`
  const added: Vars = {
    ALLOWED_ORIGINS: origin,
    RP_ORIGINS: origin,
    RETURN_URLS: `${origin}/sign-in`,
    CHALLENGE_HOSTNAMES: console.host,
  }
  const entries = Object.entries(vars).map(([name, value]): [string, Json] => {
    const more = added[name]
    if (more === undefined || !Array.isArray(value)) return [name, value]
    return [name, [...new Set([...(value as readonly Json[]), more])]]
  })
  return Object.fromEntries(entries)
}

/** The reasons not to upload it. */
export function consoleFaults({ host, turnstileSiteKey }: ConsoleDeployment, auth: Vars): string[] {
  const rpId = typeof auth['RP_ID'] === 'string' ? auth['RP_ID'] : ''
  const faults: string[] = []
  if (/(^|\.)example\.(com|org|net)$/.test(host)) faults.push('host still has an example value')
  if (turnstileSiteKey === TESTING_SITE_KEY || /^[123]x0{10,}/.test(turnstileSiteKey))
    faults.push('turnstileSiteKey still has the value of a development machine')
  if (turnstileSiteKey === '' || / /.test(turnstileSiteKey)) faults.push('turnstileSiteKey still has an example value')
  if (host !== rpId && !host.endsWith(`.${rpId}`))
    faults.push(`host must be RP_ID of auth (${rpId}) or below it, or passkeys do not work there`)
  return faults.map((fault) => `console: ${fault}`)
}
