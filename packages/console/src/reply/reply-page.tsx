import '../inbox/inbox.css'
import type { OpenedReply, ReplyKey } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { FileField } from '../shell/file-field.tsx'
import { Form } from '../shell/form.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { TaskArea } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/reply/words.ts'
import { keyOfLink, openAnswer } from './opening.ts'

const loadAnswer = () => chunk(() => import('./answer.tsx').then(({ Answer }) => Answer))

/** Opens the sealed answer to a message, for somebody who has its private link and no identity. */
export function ReplyPage({ configuration }: PageProps) {
  return (
    <TaskArea>
      <Opening core={configuration.services.core} />
    </TaskArea>
  )
}

function Opening({ core }: { readonly core: string }) {
  /** Of the address. Undefined until it is read. */
  const [linked, setLinked] = useState<ReplyKey | null>()
  const [typed, setTyped] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [answer, setAnswer] = useState<{ readonly of: ReplyKey; readonly opened: OpenedReply } | null>(null)
  useEffect(() => {
    const read = () => {
      setAnswer(null)
      // Most of the SDK is loaded to read one.
      if (location.hash === '') setLinked(null)
      else void keyOfLink(location.hash).then(setLinked)
    }
    read()
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])

  const open = async () => {
    const key = linked ?? (await keyOfLink(typed))
    if (!key) throw new SaidError(words.incomplete)
    if (!file) throw new SaidError(words.chooseFile)
    setAnswer({ of: key, opened: await openAnswer(core, key, file) })
    setFile(null)
  }
  if (answer) return <Loaded load={loadAnswer} props={{ ...answer, onAnother: () => setAnswer(null) }} />
  return (
    <section class="card">
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      {linked ? (
        <>
          <p>{words.hasLink}</p>
          <Exact class="code" name="DID of the owner">
            {linked.owner}
          </Exact>
          <p class="note">{words.keepLink}</p>
        </>
      ) : null}
      <Form onSend={open}>
        {linked === null ? (
          <Field label={words.link} hint={words.linkHint} isSecret value={typed} onValue={setTyped} maxLength={2048} />
        ) : null}
        <FileField label={words.file} hint={words.fileHint} accept=".json,application/json" onFile={setFile} />
        <Button>{words.open}</Button>
      </Form>
    </section>
  )
}
