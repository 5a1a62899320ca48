import { Component, type ReactNode } from 'react';
import { NotLoaded } from '../loading/lazy-component.ts';

interface ErrorBoundaryProps {
  fallback: ReactNode;
  children: ReactNode;
}

/** Whoever changes a page without React does not do so again at once. */
const pauseMs = 1000;

/**
 * Shows something else instead of children that threw, or whose code could not be loaded; in the latter case it tries
 * again when the browser is online again. Children whose elements somebody else has moved, such as the browser's own
 * translation (https://github.com/facebook/react/issues/11538), are shown anew at once.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean }> {
  override state = { failed: false };
  private shownAnewAt = -pauseMs;
  private readonly retry = () => this.setState({ failed: false });

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof DOMException && performance.now() - this.shownAnewAt > pauseMs) {
      this.shownAnewAt = performance.now();
      this.retry();
    }
    if (!(error instanceof NotLoaded)) return;
    error.forget();
    addEventListener('online', this.retry, { once: true });
  }

  override componentWillUnmount() {
    removeEventListener('online', this.retry);
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
