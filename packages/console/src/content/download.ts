import { saveFile } from '../shell/save-file.ts'

/** Gives the person a file that was made here. */
export function download(name: string, value: unknown): void {
  saveFile(name, JSON.stringify(value, null, 2))
}
