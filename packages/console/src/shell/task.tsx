import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useContext, useMemo, useRef, useState } from 'preact/hooks'
import { isChunkGone } from '../failures/chunk.ts'
import { Reload } from '../failures/reload.tsx'
import { isUnforeseen, sentenceOf } from '../failures/sentences.ts'
import { words } from '../words/shell/words.ts'

interface Saying {
  readonly text: string
  readonly isBad: boolean
  /** A file of the console did not arrive. */
  readonly isGone?: boolean
}

export interface Task {
  /** Something is going on: buttons wait. */
  readonly isBusy: boolean
  readonly saying: Saying
  say(text: string, isBad?: boolean): void
  /** One thing at a time: what was asked for twice would spend what the first still needs. */
  run(work: () => Promise<void>, about?: string): Promise<void>
}

const TaskContext = createContext<Task | null>(null)

export function useTask(): Task {
  const task = useContext(TaskContext)
  if (!task) throw new Error('no task around')
  return task
}

export function TaskArea({ children }: { readonly children: ComponentChildren }) {
  const [isBusy, setBusy] = useState(false)
  const [saying, setSaying] = useState<Saying>({ text: '', isBad: false })
  const running = useRef(false)
  const task = useMemo<Task>(() => {
    const say = (text: string, isBad = false) => setSaying({ text, isBad })
    const run = async (work: () => Promise<void>, about = words.moment) => {
      if (running.current) return
      running.current = true
      setBusy(true)
      say(about)
      try {
        await work()
        setSaying((now) => (now.text === about ? { text: '', isBad: false } : now))
      } catch (error) {
        if (isUnforeseen(error)) console.error(error)
        setSaying({ text: sentenceOf(error), isBad: true, isGone: isChunkGone(error) })
      } finally {
        running.current = false
        setBusy(false)
      }
    }
    return { isBusy, saying, say, run }
  }, [isBusy, saying])
  return (
    <TaskContext.Provider value={task}>
      <p class={saying.isBad ? 'status bad' : 'status'} role="status">
        {saying.text}
      </p>
      {saying.isGone ? <Reload /> : null}
      {children}
    </TaskContext.Provider>
  )
}
