import type { Client } from '@svc/client'
import {
  type AnchorCheckpoint,
  type Checkpoint,
  type DirectoryCheckpoint,
  keepVisit,
  type Series,
  type Visit,
  visitsOf,
} from './visits.ts'

/** The newest checkpoint of a series beside that of the last visit. */
export interface Compared {
  readonly checkpoint: Checkpoint
  readonly cosignatures: number | null
  /** Oldest first, without the current one. */
  readonly visits: readonly Visit[]
  readonly since: 'first_visit' | 'unchanged' | 'grown' | 'other_log' | 'contradicts'
}

/** Verifies the newest checkpoint, its key, and that it extends what was shown before. */
export async function compared(client: Client, series: Series, now: number): Promise<Compared> {
  const visits = visitsOf<Checkpoint>(series)
  const { checkpoint, cosignatures } = await newest(client, series)
  const since = await relation(client, visits.at(-1)?.checkpoint, checkpoint)
  if (since !== 'contradicts') keepVisit(series, { at: now, checkpoint })
  return { checkpoint, cosignatures, visits, since }
}

async function newest(client: Client, series: Series): Promise<Pick<Compared, 'checkpoint' | 'cosignatures'>> {
  if (series === 'transparency') {
    const { checkpoint, cosignatures } = await client.transparency.cosigned()
    return { checkpoint, cosignatures: cosignatures.length }
  }
  const checkpoint = await client.anchors.checkpoint()
  await (await client.anchors.logs()).verify(checkpoint)
  return { checkpoint, cosignatures: null }
}

async function relation(
  client: Client,
  earlier: Checkpoint | undefined,
  later: Checkpoint,
): Promise<Compared['since']> {
  if (!earlier) return 'first_visit'
  if (earlier.statement.log !== later.statement.log) return 'other_log'
  const verified = isOfDirectory(later)
    ? await client.transparency.safeVerifyExtension(earlier as DirectoryCheckpoint, later)
    : await client.anchors.safeVerifyExtension(earlier as AnchorCheckpoint, later)
  if (!verified.ok) return 'contradicts'
  return earlier.statement.size === later.statement.size ? 'unchanged' : 'grown'
}

function isOfDirectory(checkpoint: Checkpoint): checkpoint is DirectoryCheckpoint {
  return checkpoint.statement.type === 'svc/transparency-checkpoint/v1'
}
