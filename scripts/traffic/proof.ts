import type { Client } from '@svc/client'
import type { SignedCheckpoint } from '@svc/protocol/anchors'
import type { DirectoryCheckpoint } from '@svc/protocol/transparency'
import { type LoadRequest, send } from '../measure/load.ts'
import type { Actor } from './actor.ts'

const LANES = 8

/** What does not hold of what everybody has written. */
export async function faultsOfAll(actors: readonly Actor[]): Promise<string[]> {
  const written = await Promise.all(actors.map((actor) => actor.faults()))
  // Proving reservations may reserve what nobody had heard of.
  const pools = await Promise.all(actors.map(({ pool }) => pool.faults()))
  return [...written, ...pools].flat()
}

/**
 * Sends again what was answered once. Each must be refused because it was used, and not because it is old: core says no
 * more than that it does not take the assertion.
 */
export async function faultsOfReplay(spent: readonly LoadRequest[]): Promise<string[]> {
  const found: string[] = []
  const waiting = [...spent]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { status, body } = await send(next)
      const { error } = JSON.parse(body.toString()) as { error?: unknown }
      const isRefused = status === 401 && (error === 'assertion_replay' || error === 'unauthorized')
      if (!isRefused) found.push(`a spent assertion at ${next.method} ${new URL(next.url).pathname}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return found
}

/** The heads of the two logs. Whatever happens, later ones extend them. */
export interface Heads {
  readonly anchors: SignedCheckpoint
  readonly directory: DirectoryCheckpoint
}

export async function headsOf({ anchors, transparency }: Client): Promise<Heads> {
  return { anchors: await anchors.checkpoint(), directory: await transparency.checkpoint() }
}

export async function faultsOfLogs(anyone: Client, earlier: Heads): Promise<string[]> {
  const later = await headsOf(anyone)
  const [anchors, directory] = await Promise.all([
    anyone.anchors.extends(earlier.anchors, later.anchors),
    anyone.transparency.extends(earlier.directory, later.directory),
  ])
  return [
    ...(anchors ? [] : ['the log of anchors does not extend what it was']),
    ...(directory ? [] : ['the log of the directory does not extend what it was']),
  ]
}
