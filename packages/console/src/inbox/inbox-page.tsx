import './inbox.css'
import { useEffect, useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/inbox/words.ts'
import { LetterList } from './letter-list.tsx'
import { LetterView } from './letter-view.tsx'
import { type Letter, type Letters, openLetters, readLetters, withLetter } from './letters.ts'

/** Messages to the identity, decrypted in this browser. */
export function InboxPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Inbox {...own} />}</SignedIn>
}

function Inbox(own: Own) {
  const { client, core, rootLock } = own
  const task = useTask()
  const [letters, setLetters] = useState<Letters | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const read = async (after: Letters | null) => setLetters(await readLetters(client, after))
  useEffect(() => void task.run(() => read(null)), [])

  const change = (msgId: string, letter: Letter | null) => setLetters((now) => now && withLetter(now, msgId, letter))
  const show = async (letter: Letter) => {
    const { msgId } = letter.message
    setShown(msgId)
    if (letter.message.readAt !== null) return
    const readAt = await client.inbox.read(msgId)
    change(msgId, { ...letter, message: { ...letter.message, readAt } })
  }
  const remove = async (msgId: string) => {
    await client.inbox.delete(msgId)
    setShown(null)
    change(msgId, null)
    task.say(words.deleted)
  }
  const current = letters?.letters.find(({ message }) => message.msgId === shown)
  if (current)
    return (
      <LetterView
        own={own}
        letter={current}
        onBack={() => {
          setShown(null)
          task.say('')
        }}
        onDelete={() => remove(current.message.msgId)}
      />
    )
  const isClosed = letters?.letters.some(({ content }) => !content) ?? false
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      {rootLock === null ? <p class="note">{words.elsewhere}</p> : null}
      <div class="actions">
        {letters && isClosed && rootLock !== null ? (
          <RootAct
            core={core}
            rootLock={rootLock}
            action={words.open}
            onAct={async (root) => setLetters(await openLetters(root, letters))}
          />
        ) : null}
        <Button look="plain" onPress={() => read(null)}>
          {words.refresh}
        </Button>
      </div>
      {letters ? (
        <LetterList letters={letters} onShow={(letter) => void task.run(() => show(letter))} onDelete={remove} />
      ) : null}
      {letters?.next ? (
        <Button look="plain" onPress={() => read(letters)}>
          {words.more}
        </Button>
      ) : null}
    </>
  )
}
