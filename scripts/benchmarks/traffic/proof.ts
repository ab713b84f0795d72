import type { Client } from '@svc/client'
import { type LoadRequest, send } from '@svc/platform/callers/send'
import type { DirectoryCheckpoint } from '@svc/protocol/keys/transparency'
import type { SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import type { Actor } from './actor.ts'

const LANES = 8

interface Lost {
  /** The accounts of the directory were rebuilt, which give out none of their one-time prekeys. */
  readonly isWithoutPrekeys?: boolean
}

/** Checks what all actors have written, and returns the faults. */
export async function faultsOfAll(
  actors: readonly Actor[],
  { isWithoutPrekeys = false }: Lost = {},
): Promise<string[]> {
  const written = await Promise.all(actors.map((actor) => actor.faults()))
  // Proving reservations can apply unanswered ones.
  const pools = await Promise.all(actors.map(({ pool }) => pool.faults(isWithoutPrekeys)))
  return [...written, ...pools].flat()
}

/**
 * Replays requests that were answered. Each must be refused because its assertion is spent, not because it has expired;
 * core's refusal does not tell which. An identity that was rebuilt says that it has expired, like everything that was signed
 * before.
 */
export async function faultsOfReplay(
  spent: readonly LoadRequest[],
  names: readonly string[] = ['assertion_replay', 'unauthorized'],
): Promise<string[]> {
  const found: string[] = []
  const waiting = [...spent]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { status, body } = await send(next)
      const { error } = JSON.parse(body.toString()) as { error?: unknown }
      const isRefused = status === 401 && typeof error === 'string' && names.includes(error)
      if (!isRefused) found.push(`a spent assertion at ${next.method} ${new URL(next.url).pathname}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return found
}

/** The heads of the two logs. Later heads must always extend them. */
export interface Heads {
  readonly anchors: SignedCheckpoint
  readonly directory: DirectoryCheckpoint
}

export async function headsOf({ anchors, transparency }: Client): Promise<Heads> {
  return { anchors: await anchors.checkpoint(), directory: await transparency.checkpoint() }
}

/** A log that was rolled since has its final checkpoint. */
export async function faultsOfLogs(anyone: Client, earlier: Heads): Promise<string[]> {
  const later = {
    anchors: await anyone.anchors.checkpoint(earlier.anchors.statement.log),
    directory: await anyone.transparency.checkpoint(earlier.directory.statement.log),
  }
  const [anchors, directory] = await Promise.all([
    anyone.anchors.safeVerifyExtension(earlier.anchors, later.anchors),
    anyone.transparency.safeVerifyExtension(earlier.directory, later.directory),
  ])
  return [
    ...(anchors.ok ? [] : ['the log of anchors does not extend its earlier state']),
    ...(directory.ok ? [] : ['the log of the directory does not extend its earlier state']),
  ]
}
