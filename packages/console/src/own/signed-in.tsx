import '../start/start.css'
import './own.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { chunk } from '../failures/chunk.ts'
import { hasDevice } from '../keys/kept-device.ts'
import type { Lock, LockedBy } from '../keys/lock.ts'
import type { PageProps } from '../page.ts'
import { Link } from '../shell/link.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { Start } from '../start/start.tsx'
import { words } from '../words/own/words.ts'
import type { Own } from './own.ts'
import { OWN_PAGES } from './own-pages.ts'

interface SignedInProps extends PageProps {
  readonly children: (own: Own) => ComponentChildren
}

/** What only somebody with an identity needs. */
const loadEntering = () => chunk(() => import('./enter.ts'))
const loadLocked = () => chunk(() => import('../shell/locked.tsx').then(({ Locked }) => Locked))

/** While the console is open: the pages share a client, and what it remembers. */
let entered: Own | null = null

/** After the identity of this browser has changed: its pages find the device anew. */
export function enterAnew(): void {
  entered = null
}

/** A page of the identity of this browser, with the way to one for somebody who has none. */
export function SignedIn(props: SignedInProps) {
  return (
    <TaskArea>
      <Entrance {...props} />
    </TaskArea>
  )
}

function Entrance({ configuration, path, children }: SignedInProps) {
  const { core } = configuration.services
  const task = useTask()
  const [found, setFound] = useState<'none' | { readonly lockedBy: LockedBy } | null>(null)
  const [own, setOwn] = useState(entered)

  const enter = (as: Own) => {
    entered = as
    setOwn(as)
  }
  const find = async () => {
    const { enterAs, findDevice } = await loadEntering()
    const is = await findDevice()
    if (is.state === 'open') enter(await enterAs(core, is.device))
    else setFound(is.state === 'locked' ? { lockedBy: is.by } : 'none')
  }
  useEffect(() => {
    if (own) return
    // Only somebody with an identity waits, and is told so.
    void hasDevice().then(
      (has) => (has ? task.run(find) : setFound('none')),
      () => task.run(find),
    )
  }, [])

  if (own)
    return (
      <>
        <nav class="own-pages" aria-label={words.menu}>
          {OWN_PAGES.map(([to, name]) => (
            <Link key={to} to={to} isCurrent={path === to || path.startsWith(`${to}/`)}>
              {name}
            </Link>
          ))}
        </nav>
        {children(own)}
      </>
    )
  if (found === 'none') return <Start core={core} onReady={find} />
  if (found === null) return <Heading>{words.title}</Heading>
  const unlock = async (lock: Lock) => {
    const { enterAs, unlockDevice } = await loadEntering()
    enter(await enterAs(core, await unlockDevice(lock)))
  }
  return (
    <section class="card">
      <Heading>{words.title}</Heading>
      <p>{words.unlockLead}</p>
      <Loaded load={loadLocked} props={{ by: found.lockedBy, action: words.unlock, onLock: unlock }} />
    </section>
  )
}
