import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { sentenceOf } from '../failures/sentences.ts'
import { publicClient } from '../services/public-client.ts'
import { words } from '../words/similar/words.ts'
import type { Input } from './input.ts'
import { type Similar, similarTo } from './similar.ts'

interface SimilarContentProps {
  readonly input: Input
  readonly core: string
}

export function SimilarContent({ input, core }: SimilarContentProps) {
  const [found, setFound] = useState<readonly Similar[] | null>(null)
  const [fault, setFault] = useState('')
  const search = async () => {
    setFault('')
    try {
      setFound(await similarTo(input, (await publicClient(core)).provenance))
    } catch (error) {
      setFault(error instanceof RangeError ? words.similarRefused : sentenceOf(error))
    }
  }
  return (
    <section>
      <h3>{words.similar}</h3>
      <p>{words.similarLead}</p>
      <button type="button" class="plain" onClick={() => void search()}>
        {words.similar}
      </button>
      <p role="status">{fault || (found?.length === 0 ? words.similarNone : '')}</p>
      {found === null || found.length === 0 ? null : (
        <ul class="list">
          {found.map(({ assetId, likeness }) => (
            <li key={assetId}>
              <Exact>{assetId}</Exact>
              <small>
                {'percent' in likeness ? words.similarText(likeness.percent) : words.similarImage(likeness.distance)}
              </small>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
