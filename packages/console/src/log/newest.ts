import type { Client } from '@svc/client'
import type { AnchorCheckpoint, Checkpoint, DirectoryCheckpoint, Series } from './visits.ts'

/** The newest checkpoint of a series, beside an earlier one. */
export interface Newest {
  readonly checkpoint: Checkpoint
  readonly cosignatures: number | null
  readonly since: 'first_visit' | 'unchanged' | 'grown' | 'other_log' | 'contradicts'
}

/** Verifies the newest checkpoint, its key, and that it extends the earlier one. */
export async function newestOf(client: Client, series: Series, earlier: Checkpoint | null): Promise<Newest> {
  const found = await newest(client, series)
  return { ...found, since: await relation(client, earlier, found.checkpoint) }
}

async function newest(client: Client, series: Series): Promise<Omit<Newest, 'since'>> {
  if (series === 'transparency') {
    const { checkpoint, cosignatures } = await client.transparency.cosigned()
    return { checkpoint, cosignatures: cosignatures.length }
  }
  const checkpoint = await client.anchors.checkpoint()
  await (await client.anchors.logs()).verify(checkpoint)
  return { checkpoint, cosignatures: null }
}

async function relation(client: Client, earlier: Checkpoint | null, later: Checkpoint): Promise<Newest['since']> {
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
