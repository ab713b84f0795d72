import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Whether the form around is being sent. */
export const Sending = createContext(false)

/**
 * What is typed while a form is sent would look as if it had been. So its fields are read-only until then; they keep the
 * focus.
 */
export const useSending = (): boolean => useContext(Sending)
