import { join } from 'node:path'
import { CONSOLE_CONFIG, ROOT, SetupError, WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { wrangler } from '@svc/platform/wrangler'
import { CloudflareApi } from './cloudflare-api.ts'
import type { Credentials } from './cloudflare-requests.ts'
import type { RawConsoleConfig } from './console/console-deployment.ts'
import type { Deployment } from './deployment.ts'
import type { RawConfig } from './worker-deployment.ts'

/** The part of Wrangler that is used; its own type comes from a package that it does not depend on. */
interface RawReader {
  readonly experimental_readRawConfig: <Config>(options: { config: string }) => { rawConfig: Config }
}

function readRawConfig<Config>(config: string): Config {
  return (wrangler() as unknown as RawReader).experimental_readRawConfig<Config>({ config }).rawConfig
}

/**
 * The account of a deployment, for every command, and the token from the environment. Never prompts, and uses no personal
 * login. Two accounts are refused: what was checked in one would be deployed to the other.
 */
export function credentialsOf(deployment: Deployment): Credentials {
  const { CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_BASE_URL: baseUrl } = process.env
  const file = `deployments/${deployment.name}.json`
  if (deployment.accountId && CLOUDFLARE_ACCOUNT_ID && CLOUDFLARE_ACCOUNT_ID !== deployment.accountId)
    throw new SetupError(
      `Two accounts: ${file} has accountId ${deployment.accountId}, and CLOUDFLARE_ACCOUNT_ID is ${CLOUDFLARE_ACCOUNT_ID}. ` +
        'Unset the variable, or correct the file.',
    )
  const accountId = deployment.accountId || CLOUDFLARE_ACCOUNT_ID
  if (!accountId) throw new SetupError(`No account: set accountId in ${file}, or CLOUDFLARE_ACCOUNT_ID.`)
  if (!token) throw new SetupError('No credential: set CLOUDFLARE_API_TOKEN.')
  return { accountId, token, baseUrl, location: deployment.location }
}

export function apiOf(deployment: Deployment): CloudflareApi {
  return new CloudflareApi(credentialsOf(deployment))
}

/** The committed configuration of every Worker, unchanged. */
export function committedConfigs(): Map<WorkerName, RawConfig> {
  return new Map(
    WORKER_NAMES.map((worker) => {
      const path = join(ROOT, 'workers', worker, 'wrangler.jsonc')
      return [worker, readRawConfig<RawConfig>(path)]
    }),
  )
}

/** The committed configuration of the console, unchanged. */
export function committedConsole(): RawConsoleConfig {
  return readRawConfig<RawConsoleConfig>(CONSOLE_CONFIG)
}
