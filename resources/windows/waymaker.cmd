@"%~dp0..\core\node.exe" "%~dp0..\core\app\cli.js" %*
