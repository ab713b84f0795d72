/**
 * Loads a part of the console that has a file of its own. Once a new version is deployed, the files of the version that a
 * tab shows are gone; so are they without a network. Either way the person can load the page again.
 */
export async function chunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw new ChunkError(error)
  }
}

/** A file of the console did not arrive. */
export class ChunkError extends Error {
  override name = 'ChunkError'

  constructor(cause: unknown) {
    super('A file of the console did not arrive', { cause })
  }
}

/** Whether loading the page again may help. */
export function isChunkGone(error: unknown): boolean {
  return error instanceof Error && error.name === 'ChunkError'
}
