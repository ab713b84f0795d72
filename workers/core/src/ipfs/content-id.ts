import { base32 } from 'multiformats/bases/base32'
import { equals } from 'multiformats/bytes'
import { CID } from 'multiformats/cid'

const RAW = 0x55
const DAG_PB = 0x70
const SHA2_256 = 0x12

/** A CID whose content this service can verify: a raw leaf or a dag-pb node, addressed by SHA2-256. */
export interface ContentId {
  /** CIDv1 in base32: one canonical form, whatever form was requested. */
  readonly name: string
  readonly codec: 'raw' | 'dag-pb'
  readonly digest: Uint8Array
}

/** Null if it is not a CID, or one whose content cannot be verified here. */
export function readContentId(text: string): ContentId | null {
  try {
    return contentIdOf(CID.parse(text))
  } catch {
    return null
  }
}

export function contentIdOf(cid: CID): ContentId | null {
  const { code, multihash } = cid
  if ((code !== RAW && code !== DAG_PB) || multihash.code !== SHA2_256 || multihash.digest.length !== 32) return null
  return {
    name: cid.toV1().toString(base32.encoder),
    codec: code === RAW ? 'raw' : 'dag-pb',
    digest: multihash.digest,
  }
}

/** Whether these bytes are the block that the CID names. */
export async function isBlockOf({ digest }: ContentId, bytes: Uint8Array): Promise<boolean> {
  return equals(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))), digest)
}
