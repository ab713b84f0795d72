import type { Note } from '@svc/client'
import { useRef, useState } from 'preact/hooks'
import { type NoteDraft, NoteEditor, type NoteEditorPorts } from './editor.ts'

/** An editor for as long as the note is shown. One that still saves when the person has left goes on to its end. */
export function useEditor(
  note: Note | null,
  draft: NoteDraft | null,
  ports: Omit<NoteEditorPorts, 'onChange'>,
): NoteEditor {
  const [, setChanges] = useState(0)
  const editor = useRef<NoteEditor | null>(null)
  editor.current ??= new NoteEditor(note, draft, { ...ports, onChange: () => setChanges((count) => count + 1) })
  return editor.current
}
