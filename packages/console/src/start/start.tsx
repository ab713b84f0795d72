import { useState } from 'preact/hooks'
import { chunk } from '../failures/chunk.ts'
import { Link } from '../shell/link.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/start/words.ts'

const loadCreate = () => chunk(() => import('./create-here.tsx').then(({ CreateHere }) => CreateHere))
const loadBackup = () => chunk(() => import('../backup/open-backup.tsx').then(({ OpenBackup }) => OpenBackup))

interface StartProps {
  readonly core: string
  readonly onReady: () => Promise<void>
}

/** Somebody without an identity in this browser: create one, or pair. */
export function Start({ core, onReady }: StartProps) {
  const [way, setWay] = useState<'create' | 'backup' | null>(null)
  const props = { core, onReady, onBack: () => setWay(null) }
  if (way === 'create') return <Loaded load={loadCreate} props={props} />
  if (way === 'backup') return <Loaded load={loadBackup} props={props} />
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <section class="panel">
        <h2>{words.create}</h2>
        <p>{words.createLead}</p>
        <button type="button" onClick={() => setWay('create')}>
          {words.create}
        </button>
      </section>
      <section class="panel">
        <h2>{words.pair}</h2>
        <p>{words.pairLead}</p>
        <Link to="/pair">{words.pair}</Link>
      </section>
      <section class="panel">
        <h2>{words.openBackup}</h2>
        <p>{words.openBackupLead}</p>
        <button type="button" class="plain" onClick={() => setWay('backup')}>
          {words.openBackup}
        </button>
      </section>
      <section class="panel">
        <h2>{words.recover}</h2>
        <p>{words.recoverLead}</p>
        <Link to="/recovery">{words.recover}</Link>
      </section>
      <section class="panel">
        <h2>{words.signIn}</h2>
        <p>{words.signInLead}</p>
        <Link to="/sign-in">{words.signIn}</Link>
      </section>
      <section class="panel">
        <h2>{words.operator}</h2>
        <p>{words.operatorLead}</p>
        <Link to="/operator">{words.operator}</Link>
      </section>
    </>
  )
}
