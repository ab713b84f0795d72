import { checkCall } from '../arguments/check.ts'

/** Ids of the notes in which stamps are kept. The service knows whose anchors these are anyway. */
const PREFIX = 'stamp-'

export function stampNoteId(anchorId: string): string {
  return PREFIX + anchorId
}

/** Whether a note is of the library of stamps, by its id: lists for people leave those out. */
export function isStampNote(noteId: string): boolean {
  checkCall('isStampNote', [noteId], ['noteId'])
  return noteId.startsWith(PREFIX)
}
