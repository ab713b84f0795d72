import type { Client } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { download } from '../content/download.ts'
import { Exact } from '../content/exact.tsx'
import { Button } from '../shell/button.tsx'
import { fragmentOf } from '../verify/fragment.ts'
import { typedInput } from '../verify/input.ts'
import { words } from '../words/capsules/words.ts'
import type { Registration } from './register.ts'

interface RegisteredProps {
  readonly client: Client
  readonly did: string
  readonly registration: Registration
}

export function Registered({
  client,
  did,
  registration: { kind, id, isDuplicate, position, isSearchable },
}: RegisteredProps) {
  const [link, setLink] = useState<string | null>(null)
  const readProof = () => client.provenance.proof(id, did)
  useEffect(() => {
    if (kind === 'text') return
    const make = async () => {
      const fragment = await fragmentOf(typedInput(JSON.stringify(await readProof())))
      if (fragment !== null) setLink(`/verify/#${fragment}`)
    }
    // Without a link, the proof can still be downloaded.
    make().catch(() => setLink(null))
  }, [id])
  return (
    <section class="panel">
      <h2>{words.result}</h2>
      <p>
        {isDuplicate ? words.duplicate : words.registered} {position === null ? null : words.position(position)}
      </p>
      {isSearchable ? null : <p>{words.notSearchable}</p>}
      <dl>
        <dt>{words.id}</dt>
        <dd>
          <Exact>{id}</Exact>
        </dd>
      </dl>
      {kind === 'text' ? null : (
        <div class="actions">
          <Button look="plain" onPress={async () => download('proof.json', await readProof())}>
            {words.proof}
          </Button>
          {link === null ? null : <a href={link}>{words.check}</a>}
        </div>
      )}
    </section>
  )
}
