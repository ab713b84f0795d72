/**
 * The names of all objects in R2. Nothing else in this Worker spells a prefix.
 *
 * @module
 */
import { LOG_LISTS_PREFIX } from '@svc/protocol/merkle/log-list-files'

/** The page on retention has each of them. */
export const OBJECT_PREFIXES = {
  notes: 'notes/',
  chain: 'chain/',
  cache: 'ipfs/cache/',
  pins: 'ipfs/pin/',
  logLists: LOG_LISTS_PREFIX,
  anchors: 'anchors/',
  anchorLeaves: 'anchor-leaves/',
  publications: 'publications/',
  publicationOrder: 'publication-order/',
  withheld: 'withheld/',
  cosigned: 'cosigned/{log}/',
  /** `{log}` is the name of a log. Not in its own folder, which is locked: a body can be withheld. */
  bodies: 'anchor-bodies/{log}/',
  withheldLeaves: 'withheld-leaves/{log}/',
} as const

interface Named {
  readonly name: string
}

export const vaultPrefix = (did: string) => `${OBJECT_PREFIXES.notes}${did}/`

/** Every upload has a name of its own, so that nothing else refers to it. */
export const payloadKey = (did: string, dataHash: string) =>
  `${OBJECT_PREFIXES.chain}${did}/${dataHash}/${crypto.randomUUID()}`

/** Whose payload a key names; null for the key of anything else. */
export function payloadOwner(key: string): string | null {
  if (!key.startsWith(OBJECT_PREFIXES.chain)) return null
  return key.slice(OBJECT_PREFIXES.chain.length).split('/')[0] ?? null
}

export const cachePrefix = ({ name }: Named) => `${OBJECT_PREFIXES.cache}${name}/`
export const pinPrefix = ({ name }: Named) => `${OBJECT_PREFIXES.pins}${name}/`
export const uploadPrefix = (root: Named, upload: string) => `${pinPrefix(root)}${upload}/`

export const anchorKey = (anchorId: string) => `${OBJECT_PREFIXES.anchors}${anchorId}`
/** Which anchor a leaf of a log is. */
export const anchorLeafKey = (leaf: string) => `${OBJECT_PREFIXES.anchorLeaves}${leaf}`
/** The act that withholds a leaf. */
export const withheldKey = (leaf: string) => `${OBJECT_PREFIXES.withheld}${leaf}`
export const reportPrefix = (anchorId: string) => `${anchorKey(anchorId)}/`
export const reportKey = (anchorId: string, nonce: string) => `${reportPrefix(anchorId)}${nonce}`
/** Sorted by time, then by nonce. */
export const publicationOrderKey = ({ issuedAt, nonce }: { readonly issuedAt: number; readonly nonce: string }) =>
  `${OBJECT_PREFIXES.publicationOrder}${String(issuedAt).padStart(15, '0')}/${nonce}`

/** The time and nonce that a key of the order has. */
export function publicationPlace(key: string): { readonly issuedAt: number; readonly nonce: string } {
  const [time = '', nonce = ''] = key.slice(OBJECT_PREFIXES.publicationOrder.length).split('/')
  return { issuedAt: Number(time), nonce }
}

export const publicationKey = (nonce: string) => `${OBJECT_PREFIXES.publications}${nonce}`

/** Bodies of the anchors of a full bundle of entries. */
export const bodyBundleKey = (log: string, bundle: number) => `${OBJECT_PREFIXES.bodies.replace('{log}', log)}${bundle}`
/** The places of a bundle of bodies that are withheld, an empty file for each. */
export const withheldLeavesPrefix = (log: string, bundle: number) =>
  `${OBJECT_PREFIXES.withheldLeaves.replace('{log}', log)}${bundle}/`
export const withheldLeafKey = (log: string, bundle: number, offset: number) =>
  `${withheldLeavesPrefix(log, bundle)}${offset}`

/** Sizes sort as numbers. */
const sizeText = (size: number) => String(size).padStart(15, '0')
export const cosignedPrefix = (log: string) => OBJECT_PREFIXES.cosigned.replace('{log}', log)
/** What a witness cosigned of a log at a size. */
export const cosignedKey = (of: { readonly log: string; readonly size: number; readonly witness: string }) =>
  `${cosignedPrefix(of.log)}${sizeText(of.size)}/${of.witness}`
/** Comes after every key of this size and before those of larger ones, which cover the leaf at the index. */
export const cosignedAfter = (log: string, index: number) => `${cosignedPrefix(log)}${sizeText(index)}/~`
export const witnessOfKey = (key: string) => key.slice(key.lastIndexOf('/') + 1)
