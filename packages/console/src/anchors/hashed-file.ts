import { hashOf } from '@svc/client/functions'

export interface HashedFile {
  readonly name: string
  readonly root: string
}

export async function hashedFile(file: File): Promise<HashedFile> {
  return { name: file.name, root: await hashOf(new Uint8Array(await file.arrayBuffer())) }
}

const MAX_EPOCH = 64
const REFUSED = /[^A-Za-z0-9._:-]+/g

/** A label that the log takes, from the name of a file or what somebody typed. */
export function epochOf(name: string): string {
  const label = name.trim().replaceAll(REFUSED, '-').slice(0, MAX_EPOCH)
  return label === '' ? 'file' : label
}
