/**
 * Moves traffic from the versions before to the new ones, in steps, and back if something does not work.
 *
 * @module
 */
import { SetupError } from '@svc/platform/workspace'
import type { CloudflareApi, Share } from '../cloudflare-api.ts'
import { OBJECT_UPDATE } from '../worker-deployment.ts'

/** The shares of the new versions, one after another. */
export const PERCENTAGES = [5, 50, 100] as const

/** One Worker whose traffic moves. */
export interface Rising {
  readonly script: string
  readonly before: string
  readonly after: string
  /** The hash of its code; see `bundleHash`. */
  readonly bundle: string
}

export interface RaisedStep {
  readonly percentage: number
  /** The header with which a request meets the new versions. */
  readonly toNew: Readonly<Record<string, string>>
  /** The header with which it meets the versions before; null once they have no traffic. */
  readonly toOld: Readonly<Record<string, string>> | null
}

export interface Raising {
  readonly api: Pick<CloudflareApi, 'deployVersions'>
  /** Throws what does not work at this step. */
  readonly check: (step: RaisedStep) => Promise<void>
  readonly print: (line: string) => void
  /** Said with each deployment, before the share and the hash: at most 20 characters. */
  readonly message: string
}

/**
 * `rising` has callees before their callers. If a check or Cloudflare fails, all of them go back to the versions before,
 * callers first, and this throws.
 */
export async function raise(rising: readonly Rising[], raising: Raising): Promise<void> {
  const { api, check, print, message } = raising
  const touched = new Set<Rising>()
  for (const percentage of PERCENTAGES)
    try {
      for (const one of rising) {
        touched.add(one)
        // Cloudflare keeps 100 bytes.
        const said = `${message} ${percentage} % sha256:${one.bundle}`
        await api.deployVersions(one.script, sharesOf(one, percentage), said, OBJECT_UPDATE)
      }
      print(`${percentage} % of the traffic of ${rising.map(({ script }) => script).join(', ')}`)
      await check({
        percentage,
        toNew: overrideOf(rising.map(({ script, after }) => [script, after])),
        toOld: percentage === 100 ? null : overrideOf(rising.map(({ script, before }) => [script, before])),
      })
      print(`${percentage} %: checked`)
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      const stuck = await goBack([...touched].toReversed(), raising, percentage)
      throw new SetupError(
        `Rolled back at ${percentage} %: ${fault}${stuck.length === 0 ? '' : `\nNOT rolled back, and still on the new version:\n  ${stuck.join('\n  ')}`}`,
      )
    }
}

/** The same order in every deployment, so that an object that has the new version keeps it at the next step. */
function sharesOf({ before, after }: Rising, percentage: number): Share[] {
  const shares = [
    { versionId: before, percentage: 100 - percentage },
    { versionId: after, percentage },
  ]
  return shares.filter((share) => share.percentage > 0)
}

/** Returns the Workers that Cloudflare did not roll back, with the reason. */
async function goBack(rising: readonly Rising[], { api, print, message }: Raising, percentage: number) {
  const stuck: string[] = []
  for (const { script, before } of rising)
    try {
      const why = `${message} failed at ${percentage} %`
      // Objects do not finish on the version that failed.
      await api.deployVersions(script, [{ versionId: before, percentage: 100 }], why, { mode: 'immediate' })
      print(`${script}: rolled back to version ${before}`)
    } catch (error) {
      stuck.push(`${script}: ${error instanceof Error ? error.message : String(error)}`)
    }
  return stuck
}

/** A dictionary of RFC 8941: it reaches the Worker that is asked, and not those that this one calls. */
export function overrideOf(versions: readonly (readonly [script: string, versionId: string])[]) {
  const value = versions.map(([script, versionId]) => `${script}="${versionId}"`).join(', ')
  return { 'cloudflare-workers-version-overrides': value }
}
