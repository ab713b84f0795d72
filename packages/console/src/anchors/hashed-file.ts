import type { OnProgress } from '@svc/client'
import { hashOfBlob } from '@svc/client/functions'

export interface HashedFile {
  readonly name: string
  readonly hash: string
}

/** In pieces: it need not fit into memory. */
export async function hashedFile(file: File, onProgress: OnProgress = () => {}): Promise<HashedFile> {
  return { name: file.name, hash: await hashOfBlob(file, { onProgress }) }
}

const MAX_EPOCH = 64
const REFUSED = /[^A-Za-z0-9._:-]+/g

/** A label that the log takes, from what somebody typed. */
export function epochOf(name: string): string {
  const label = name.trim().replaceAll(REFUSED, '-').slice(0, MAX_EPOCH)
  return label === '' ? '-' : label
}
