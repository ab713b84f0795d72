import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { chooseLanguage, LANGUAGES, type Language, language } from '../words/language.ts'
import { words } from '../words/shell/words.ts'
import { Link } from './link.tsx'

interface ShellProps {
  readonly path: string
  readonly children: ComponentChildren
}

/** Where the header leads. */
const PAGES = [
  ['/', words.home],
  ['/verify/', words.verify],
  ['/did', words.look],
  ['/log', words.log],
  ['/requests', words.requests],
] as const

export function Shell({ path, children }: ShellProps) {
  const content = useRef<HTMLElement>(null)
  return (
    <>
      <header class="top">
        <button type="button" class="plain skip" onClick={() => content.current?.focus()}>
          {words.skip}
        </button>
        <img src="/icon.svg" width="28" height="28" alt="" />
        <span class="brand">{words.console}</span>
        <nav aria-label={words.menu}>
          {PAGES.map(([to, name]) => (
            <Link key={to} to={to} isCurrent={path === to || (to !== '/' && path.startsWith(`${to}/`))}>
              {name}
            </Link>
          ))}
        </nav>
        <select
          class="language"
          aria-label={words.language}
          value={language}
          onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
        >
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </select>
      </header>
      <main ref={content} tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
