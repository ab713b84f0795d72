import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

let isFirst = true

/** The heading of a view. It takes the focus when the view replaces another, so that people hear where they are. */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
