import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file, readable by its user only, and creates its folder if it is missing. A program that ends in between
 * leaves the old file or the new one.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${crypto.randomUUID()}.next`
  try {
    await writeNew(next, text)
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

/** The text is on the disk when this returns. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
