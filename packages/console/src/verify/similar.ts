import type { Client } from '@svc/client'
import { textOf } from '@svc/client/text'
import type { Input } from './input.ts'

/** Registered content that is like something. Only a fingerprint of it is sent. */
export interface Similar {
  readonly assetId: string
  readonly likeness: { readonly percent: number } | { readonly distance: number }
}

export function isSearchable({ type, bytes }: Input): boolean {
  return /^(text|image)\//.test(type) && bytes.length > 0
}

/** Throws a RangeError for what has too little text or detail. */
export async function similarTo({ type, bytes }: Input, provenance: Client['provenance']): Promise<Similar[]> {
  if (type.startsWith('text/')) {
    const { matches } = await provenance.searchText(textOf(bytes))
    return matches.map(({ asset_id: assetId, query_containment: share }) => ({
      assetId,
      likeness: { percent: Math.round(share * 100) },
    }))
  }
  const [{ searchImage }, { pixelsOf }] = await Promise.all([
    import('@svc/client/images'),
    import('@svc/client/browser-images'),
  ])
  const pixels = await pixelsOf(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }))
  const matches = await searchImage(provenance, pixels, { orientations: true })
  return matches.map(({ assetId, distance }) => ({ assetId, likeness: { distance } }))
}
