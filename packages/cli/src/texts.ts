import { readFile } from 'node:fs/promises'
import { TextError, textOf } from '#client/text'
import { usage } from './cli-error.ts'

/** The text of a file that somebody named. */
export function textIn(name: string, bytes: Uint8Array): string {
  try {
    return textOf(bytes)
  } catch (error) {
    if (!(error instanceof TextError)) throw error
    const shown = name === '-' ? 'Standard input' : name
    throw usage(
      `${shown} is not a text in UTF-8: it seems to be ${error.seems}`,
      'save it as UTF-8, or name another file',
    )
  }
}

/** The text of a file that must be there; `next` is the way out if it cannot be read. */
export async function readTextFile(path: string, next: string): Promise<string> {
  const text = await readTextIfThere(path).catch((error: unknown) => {
    throw isOfFiles(error) ? unreadable(path, error.code, next) : error
  })
  if (text === null) throw unreadable(path, 'ENOENT', next)
  return text
}

/** Null if there is no file. */
export async function readTextIfThere(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isOfFiles(error) && error.code === 'ENOENT') return null
    throw error
  })
  return bytes && textIn(path, bytes)
}

const unreadable = (path: string, code: string, next: string) => usage(`${path} cannot be read (${code})`, next)

function isOfFiles(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}
