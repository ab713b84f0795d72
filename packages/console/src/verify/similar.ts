import type { Client } from '@svc/client'
import { textOf } from '@svc/client/text'
import { chunk } from '../failures/chunk.ts'
import type { Input } from './input.ts'

/** Registered content that is like something. Only a fingerprint of it is sent. */
export interface Similar {
  readonly assetId: string
  readonly likeness: { readonly percent: number } | { readonly distance: number }
}

/** Throws a RangeError for what has too little text or detail. */
export async function similarTo(input: Input, provenance: Client['provenance']): Promise<Similar[]> {
  const { type, bytes } = input
  if (type.startsWith('text/')) {
    const { matches } = await provenance.searchText(textOf(bytes))
    return matches.map(({ asset_id: assetId, query_containment: share }) => ({
      assetId,
      likeness: { percent: Math.round(share * 100) },
    }))
  }
  const [searchImage, pixelsIn] = await Promise.all([
    chunk(() => import('@svc/client/images').then(({ searchImage: loaded }) => loaded)),
    chunk(() => import('../content/pixels-in.ts').then(({ pixelsIn: loaded }) => loaded)),
  ])
  const matches = await searchImage(provenance, await pixelsIn(input), { orientations: true })
  return matches.map(({ assetId, distance }) => ({ assetId, likeness: { distance } }))
}
