import type { ComponentChildren } from 'preact'
import { go } from '../router.ts'

interface LinkProps {
  readonly to: string
  /** It leads to what is shown already. */
  readonly isCurrent?: boolean
  readonly children: ComponentChildren
}

/** To another page of the console. With a modifier key, the browser opens it as it likes. */
export function Link({ to, isCurrent = false, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(to)
  }
  return (
    <a href={to} onClick={follow} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </a>
  )
}
