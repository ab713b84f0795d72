import { join } from 'node:path'
import { loadDevSecrets } from './keys/dev-secrets.ts'
import { LocalMail, mailFolder } from './local/mail.ts'
import { type Platform, urlsOf } from './platform.ts'
import { consolePortOf, gatewayPortOf, identityProviderPortOf } from './workspace.ts'

/** Where a platform runs that another process has started. */
export interface PlatformAddress {
  readonly portBase: number
  readonly stateDir: string
}

/** The lines that the Workers print. */
export const logFileOf = (stateDir: string) => join(stateDir, 'logs', 'workers.log')

/** The parts of a platform that another process can use. */
export interface RunningPlatform
  extends Pick<Platform, 'urls' | 'consoleUrl' | 'identityProviderUrl' | 'secrets' | 'mail'> {
  readonly gatewayUrl: string
}

export function connectTo({ portBase, stateDir }: PlatformAddress): RunningPlatform {
  return {
    urls: urlsOf(portBase),
    consoleUrl: `http://localhost:${consolePortOf(portBase)}`,
    identityProviderUrl: `http://localhost:${identityProviderPortOf(portBase)}`,
    secrets: loadDevSecrets(stateDir),
    mail: new LocalMail(mailFolder(stateDir)),
    gatewayUrl: `http://localhost:${gatewayPortOf(portBase)}`,
  }
}
