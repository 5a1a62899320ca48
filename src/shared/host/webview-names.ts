/** Name of the object that Android's WebMessageListener, or the handler that iOS, puts before the page. */
export const webviewPortName = 'waymakerHost';
/** The page's function through which an iOS app delivers messages. */
export const webviewDeliverName = 'waymakerHostDeliver';
