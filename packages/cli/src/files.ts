import { rename, stat, writeFile } from 'node:fs/promises'
import { usage } from './cli-error.ts'
import type { Context } from './context.ts'
import type { Result } from './result.ts'

/**
 * A result that is a file: to standard output, or to a new file. Never over one that is there, which could be the only
 * other copy.
 */
export async function asFile(
  context: Context,
  out: string | undefined,
  content: string,
  about: Readonly<Record<string, unknown>>,
): Promise<Result> {
  if (out === undefined)
    return { data: { ...about, file: null, content }, text: '', bytes: new TextEncoder().encode(content) }
  const file = context.pathOf(out)
  if (!context.options.dryRun) await writeNew(file, content)
  return {
    data: { ...about, file, content: null },
    text: `${context.options.dryRun ? 'Would write' : 'Wrote'} ${file}`,
  }
}

/** The same for bytes, such as those of a picture. */
export async function asBytes(context: Context, out: string | undefined, bytes: Uint8Array) {
  if (out === undefined) return { file: null, contentB64u: Buffer.from(bytes).toString('base64url'), text: '', bytes }
  const file = context.pathOf(out)
  if (!context.options.dryRun) await writeNew(file, bytes)
  return { file, contentB64u: null, text: `${context.options.dryRun ? 'Would write' : 'Wrote'} ${file}` }
}

/** Before an act whose result must be written: afterwards it would be too late to refuse. */
export async function mustBeNew(file: string, named = '--out'): Promise<void> {
  if (await isThere(file)) throw usage(`${file} already exists`, `name a new file with ${named}`)
}

export function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

export async function writeNew(file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(file, content, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw usage(`${file} cannot be written (${error.code})`, 'name a new file in a folder that you can write to')
  })
}

/** Replaces a file atomically: after a crash it has the old content or the new one. */
export async function replace(file: string, content: string): Promise<void> {
  await writeFile(`${file}.next`, content, { mode: 0o600, flush: true })
  await rename(`${file}.next`, file)
}
