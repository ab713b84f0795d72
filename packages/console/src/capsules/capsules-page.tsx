import type { KeptCommitment } from '@svc/client'
import { useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import type { Input } from '../verify/input.ts'
import { type Similar, similarTo } from '../verify/similar.ts'
import { words } from '../words/capsules/words.ts'
import { ChooseWork, type Deed } from './choose-work.tsx'
import { Committed } from './committed.tsx'
import { Found } from './found.tsx'
import { keep } from './kept.ts'
import { Mine } from './mine.tsx'
import { type Registration, registerContent } from './register.ts'
import { Registered } from './registered.tsx'

/** Registering and committing to what somebody made, and searching for copies of it. */
export function CapsulesPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Capsules {...own} />}</SignedIn>
}

type Result =
  | { readonly is: 'registered'; readonly registration: Registration }
  | { readonly is: 'committed'; readonly commitment: KeptCommitment }
  | { readonly is: 'found'; readonly similar: readonly Similar[] }

function Capsules({ client, device }: Own) {
  const { did } = device
  const task = useTask()
  const [result, setResult] = useState<Result | null>(null)
  const [change, setChange] = useState(0)
  const changed = () => setChange((count) => count + 1)

  const register = async (input: Input) => {
    const registration = await registerContent(client, input)
    const { kind, id } = registration
    await keep(did, { kind, id, name: input.name ?? words.typed, at: Date.now() })
    setResult({ is: 'registered', registration })
    task.say(registration.isDuplicate ? words.duplicate : words.registered)
    changed()
  }
  const commit = async ({ bytes }: Input) => {
    setResult({ is: 'committed', commitment: await client.provenance.commit(bytes) })
    task.say(words.committed)
  }
  const search = async (input: Input) => setResult({ is: 'found', similar: await similarTo(input, client.provenance) })

  const deeds: Readonly<Record<Deed, (input: Input) => Promise<void>>> = { register, commit, search }
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <ChooseWork device={device} onDeed={(deed, input) => deeds[deed](input)} onChosen={() => setResult(null)} />
      {result?.is === 'registered' ? (
        <Registered key={result.registration.id} client={client} did={did} registration={result.registration} />
      ) : null}
      {result?.is === 'committed' ? <Committed commitment={result.commitment} /> : null}
      {result?.is === 'found' ? <Found similar={result.similar} did={did} change={change} /> : null}
      <Mine client={client} did={did} change={change} onChange={changed} />
    </>
  )
}
