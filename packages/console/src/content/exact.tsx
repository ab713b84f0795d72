import type { ComponentChildren } from 'preact'

interface ExactProps {
  readonly children: ComponentChildren
  readonly class?: string
  /** For tests and programs: what it is. */
  readonly name?: string
  /** Among other text, as that looks. */
  readonly isPlain?: boolean
}

/**
 * What must reach a person as it is: recovery words, codes, DIDs, hashes, commands. A page translator would change it on
 * screen and in print, and what is written down from there opens nothing.
 */
export function Exact({ children, class: look, name, isPlain = false }: ExactProps) {
  const shared = { class: look, 'data-name': name, translate: false }
  return isPlain ? <span {...shared}>{children}</span> : <code {...shared}>{children}</code>
}
