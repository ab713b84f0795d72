import { SetupError } from '@svc/platform/workspace'
import type { CloudflareApi, Version } from './cloudflare-api.ts'
import { boundOf, calleesFirst } from './deploy-order.ts'
import type { Deploying } from './uploads/files.ts'

export type RollingBack = Pick<Deploying, 'configs' | 'consoleConfig' | 'deployment' | 'print'>

/** Callers first, so that none calls a method that is gone: the console calls them all. */
export function rollBackOrder({ configs, consoleConfig, deployment }: Omit<RollingBack, 'print'>): string[] {
  const workers = calleesFirst([...configs.values()].map(boundOf)).toReversed()
  const all = deployment.console ? [consoleConfig.name, ...workers] : workers
  return all.map((script) => script + deployment.suffix)
}

/** Prints the order, without a request. */
export function describeRollBack(rollingBack: RollingBack, tag: string): void {
  for (const script of rollBackOrder(rollingBack)) rollingBack.print(`${script}: would be rolled back to ${tag}`)
  sayWhatStays(rollingBack)
}

/**
 * Redeploys the uploads with a tag: all Workers, or none if one lacks the version. Never overrides a refusal by
 * Cloudflare, which refuses if a class migration lies in between, a binding is gone, or a secret has changed since and
 * would be reverted. Can be run again after a refusal.
 */
export async function rollBack(rollingBack: RollingBack, tag: string, api: CloudflareApi): Promise<void> {
  const { print } = rollingBack
  const found: { script: string; version: Version | undefined }[] = []
  for (const script of rollBackOrder(rollingBack))
    found.push({ script, version: newestOf(await api.deployableVersions(script), tag) })
  const lacking = found.flatMap(({ script, version }) => (version === undefined ? [script] : []))
  if (lacking.length > 0)
    throw new SetupError(
      `Nothing was changed: ${lacking.join(', ')} ${lacking.length === 1 ? 'has' : 'have'} no version ${tag} among those that Cloudflare can deploy again.`,
    )
  const back: string[] = []
  for (const { script, version } of found) {
    if (version === undefined) continue
    try {
      // Objects do not finish on the version that somebody rolls back.
      const shares = [{ versionId: version.id, percentage: 100 }]
      await api.deployVersions(script, shares, `back to ${tag}`, { mode: 'immediate' })
    } catch (error) {
      throw error instanceof SetupError
        ? new SetupError(`${script} was not rolled back to ${tag}. ${error.message}\n${standing(back, found, tag)}`)
        : error
    }
    back.push(script)
    print(`${script}: rolled back to ${tag}, version ${version.id}`)
  }
  sayWhatStays(rollingBack)
}

/** A Worker that was uploaded twice has the tag twice; the later upload has all bindings. */
function newestOf(versions: readonly Version[], tag: string): Version | undefined {
  return versions.filter((version) => version.tag === tag).toSorted((a, b) => b.number - a.number)[0]
}

function standing(back: readonly string[], all: readonly { script: string }[], tag: string): string {
  const rest = all.map(({ script }) => script).filter((script) => !back.includes(script))
  return `At ${tag}: ${back.join(', ') || 'none'}. Unchanged: ${rest.join(', ')}. Run it again, or deploy a commit.`
}

function sayWhatStays({ configs, deployment: { suffix }, print }: RollingBack): void {
  const databases = [...configs.values()].flatMap(({ d1_databases = [] }) =>
    d1_databases.map(({ database_name }) => database_name + suffix),
  )
  print(`Data stays, and migrations are not undone: ${[...new Set(databases)].join(', ')}`)
}
