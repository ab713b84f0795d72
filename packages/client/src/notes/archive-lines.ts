/**
 * An export of notes as a text file, which `svc note restore` reads: a line of JSON that says what it is, then one for
 * each piece.
 *
 * @module
 */
import { encodeBase64url } from '#protocol/base/base64url'
import { checkCall } from '../arguments/check.ts'
import type { ArchivedItem } from './archive.ts'

export const NOTE_ARCHIVE_FORMAT = 'svc/note-archive/v1'

/** The lines of an archive, without their ends. A part of them cannot be restored: keep all or none. */
export async function* noteArchiveLines(
  did: string,
  items: AsyncIterable<ArchivedItem> | Iterable<ArchivedItem>,
): AsyncGenerator<string> {
  checkCall('noteArchiveLines', [did, items], ['did', 'items'])
  yield JSON.stringify({ format: NOTE_ARCHIVE_FORMAT, did })
  for await (const item of items) yield JSON.stringify(textOf(item))
}

function textOf(item: ArchivedItem): object {
  if (item.kind !== 'attachment') return item
  const { sealed, ...rest } = item
  return { ...rest, sealedB64u: encodeBase64url(sealed) }
}
